"use strict";

// Starts GraphiQL on the element that the server filled in. This is a file and
// not an inline script, so that the page can forbid inline scripts.
(async () => {
  const root = document.getElementById("playground");
  const { endpoint, token, endCursor } = root.dataset;
  const examples = JSON.parse(root.dataset.tabs);
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
  const headersWith = (token) => (token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined);
  const left = whatWasLeft();
  const headers = left ? headersOf(left.front) : headersWith(examples[0].token ?? token);
  const queries = left ? examples.map(({ query }) => query) : await withCursor();

  const page = (headers) =>
    React.createElement(GraphiQL, {
      fetcher,
      storage,
      // undefined makes GraphiQL show its own introduction.
      defaultQuery: queries[0],
      // GraphiQL shows these if the person left none.
      defaultTabs: queries.map((query, i) => ({ query, headers: headersWith(examples[i].token ?? token) })),
      defaultHeaders: headersWith(token),
      headers,
      // Closed, so that the query has all of the room; the buttons open them.
      defaultEditorToolsVisibility: false,
    });
  // What comes after the first rendering is typed into the tab in front, as it were, so
  // that it is still there when one comes back to it.
  const view = ReactDOM.createRoot(root);
  ReactDOM.flushSync(() => view.render(page()));
  view.render(page(headers));

  // Returns the queries with the cursor at which the page of the first one ends.
  // Without an answer in time they stay as they are, and say what belongs there.
  async function withCursor() {
    const queries = examples.map(({ query }) => query);
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

  // Returns the tabs of an earlier visit and which of them was in front, undefined for
  // none. GraphiQL keeps no headers, for they hold tokens: so those of an example get
  // what is theirs, but for the one in front, which GraphiQL finds by its query and by
  // its having none.
  function whatWasLeft() {
    try {
      const kept = JSON.parse(storage.getItem("graphiql:tabState"));
      const query = storage.getItem("graphiql:query");
      const front = kept.tabs.findLastIndex((tab) => tab.query === query);
      kept.tabs.forEach((tab, i) => {
        tab.headers = i === front ? null : (headersOf(tab) ?? null);
      });
      storage.setItem("graphiql:tabState", JSON.stringify(kept));
      return { front: kept.tabs[front] };
    } catch {
      return undefined;
    }
  }

  // Returns the headers of a tab, which has the name of its operation.
  function headersOf(tab) {
    const example = examples.find(({ query }) => tab && query.includes(` ${tab.title} {`));
    return headersWith(example?.token ?? token);
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
