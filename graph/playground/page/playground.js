"use strict";

// Starts GraphiQL on the element that the server filled in. This is a file and
// not an inline script, so that the page can forbid inline scripts.
(async () => {
  const root = document.getElementById("playground");
  const { endpoint, token, endCursor } = root.dataset;
  const queries = JSON.parse(root.dataset.queries);
  const storage = ownStorage();

  const fetcher = GraphiQL.createFetcher({
    url: endpoint,
    headers: { accept: "application/graphql-response+json, application/json" },
    // The API sends each result whole. With this on, GraphiQL would prefer
    // multipart answers.
    enableIncrementalDelivery: false,
  });

  // A token of the server's own goes before what a person left there: that of an
  // earlier start may have expired.
  const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined;
  const tabs = storage?.getItem("graphiql:tabState") ? queries : await withCursor();

  ReactDOM.createRoot(root).render(
    React.createElement(GraphiQL, {
      fetcher,
      storage,
      // undefined makes GraphiQL show its own introduction.
      defaultQuery: queries[0],
      // GraphiQL shows these if the person left none, and headers in the first alone.
      defaultTabs: tabs.map((query) => ({ query, headers })),
      headers,
      defaultHeaders: headers,
      // Closed, so that the query has all of the room; the buttons open them.
      defaultEditorToolsVisibility: false,
    }),
  );

  // Returns the queries with the cursor at which the page of the first one ends.
  // Without an answer in time they stay as they are, and say what belongs there.
  async function withCursor() {
    if (!queries.some((query) => query.includes(endCursor))) {
      return queries;
    }
    const answer = await Promise.race([
      fetcher({ query: queries[0] }).catch(() => null),
      new Promise((resolve) => setTimeout(resolve, 2000, null)),
    ]);
    const found = /"endCursor":"([^"]+)"/.exec(JSON.stringify(answer));
    return found ? queries.map((query) => query.replaceAll(endCursor, found[1])) : queries;
  }

  // What a person typed is kept under a name of our own: other GraphiQLs are
  // often run on the same port of localhost, and their queries would open here
  // instead of the default query. A browser that forbids storage throws on the
  // mere mention of localStorage; then nothing is kept.
  function ownStorage() {
    try {
      window.localStorage.length;
    } catch {
      return null;
    }
    return GraphiQL.createLocalStorage({ namespace: "product-comments" });
  }
})();
