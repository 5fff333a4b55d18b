"use strict";

// Starts GraphiQL on the element that the server filled in. This is a file and
// not an inline script, so that the page can forbid inline scripts.
(() => {
  const root = document.getElementById("playground");
  const { endpoint, query, token } = root.dataset;

  const fetcher = GraphiQL.createFetcher({
    url: endpoint,
    headers: { accept: "application/graphql-response+json, application/json" },
    // The API sends each result whole. With this on, GraphiQL would prefer
    // multipart answers.
    enableIncrementalDelivery: false,
  });

  ReactDOM.createRoot(root).render(
    React.createElement(GraphiQL, {
      fetcher,
      storage: storage(),
      // undefined makes GraphiQL show its own introduction.
      defaultQuery: query || undefined,
      // A token of the server's own goes before what a person left there: that
      // of an earlier start may have expired.
      headers: token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined,
    }),
  );

  // What a person typed is kept under a name of our own: other GraphiQLs are
  // often run on the same port of localhost, and their queries would open here
  // instead of the default query. A browser that forbids storage throws on the
  // mere mention of localStorage; then nothing is kept.
  function storage() {
    try {
      window.localStorage.length;
    } catch {
      return null;
    }
    return GraphiQL.createLocalStorage({ namespace: "product-comments" });
  }
})();
