"use strict";

// Starts GraphiQL with the data that the server has written into the page. It is a file,
// because the page's policy forbids inline scripts.
(async () => {
  const root = document.getElementById("playground");
  const { endpoint, token, endCursor } = root.dataset;
  const examples = JSON.parse(root.dataset.tabs);
  const storage = ownStorage();

  const fetcher = GraphiQL.createFetcher({
    url: endpoint,
    headers: { accept: "application/graphql-response+json, application/json" },
    // The API supports no incremental delivery. If enabled, GraphiQL would request multipart
    // answers.
    enableIncrementalDelivery: false,
  });

  // The server's token replaces stored headers, because the token of an earlier start may
  // have expired.
  const headersWith = (token) => (token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : undefined);
  const left = whatWasLeft();
  const headers = left ? headersOf(left.front) : headersWith(examples[0].token ?? token);
  // The first example shows its answer at once. It only reads, so that nothing else happens.
  const front = left ? left.front?.query : examples[0].query;
  const answer = front === examples[0].query ? await answerOf(front) : null;
  const queries = withCursor(answer);

  const page = (headers) =>
    React.createElement(GraphiQL, {
      fetcher,
      storage,
      // If undefined, GraphiQL shows its introduction.
      defaultQuery: queries[0],
      // GraphiQL shows these tabs if it has stored none.
      defaultTabs: queries.map((query, i) => ({ query, headers: headersWith(examples[i].token ?? token) })),
      defaultHeaders: headersWith(token),
      headers,
      response: answer ? JSON.stringify(answer, null, 2) : undefined,
      // The documentation begins with the schema's description.
      schemaDescription: true,
      // Closed, so that the query has all of the space; buttons open them.
      defaultEditorToolsVisibility: false,
    });
  // GraphiQL handles changes after the first rendering like input in the active tab, and
  // stores them.
  wrapLines();
  const view = ReactDOM.createRoot(root);
  ReactDOM.flushSync(() => view.render(page()));
  view.render(page(headers));

  // Sets that the query continues on the next line at the editor's edge, once there is an editor:
  // GraphiQL would hide what is longer, most of a sentence on a telephone.
  function wrapLines() {
    new MutationObserver((changes, observer) => {
      const editor = root.querySelector(".graphiql-query-editor .CodeMirror")?.CodeMirror;
      editor?.setOption("lineWrapping", true);
      if (editor) observer.disconnect();
    }).observe(root, { childList: true, subtree: true });
  }

  // Returns the answer to a query, or null if there is none in time.
  function answerOf(query) {
    return Promise.race([
      fetcher({ query }).catch(() => null),
      new Promise((resolve) => setTimeout(resolve, 2000, null)),
    ]);
  }

  // Returns the queries with the end cursor of the first query's page. Without one they keep the
  // placeholder.
  function withCursor(answer) {
    const found = /"endCursor":"([^"]+)"/.exec(JSON.stringify(answer));
    return examples.map(({ query }) => (found ? query.replaceAll(endCursor, found[1]) : query));
  }

  // Returns the tabs of an earlier visit and the index of the active one, or undefined.
  // GraphiQL does not store headers, because they contain tokens. So this sets the headers of
  // the example tabs, except for the active one, which GraphiQL identifies by its query and
  // its lack of headers.
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

  // Returns the headers of the tab with the name of an operation.
  function headersOf(tab) {
    const example = examples.find(({ query }) => tab && query.includes(` ${tab.title} {`));
    return headersWith(example?.token ?? token);
  }

  // Input is stored under a prefix: other instances of GraphiQL often run on the same port of
  // localhost, and their queries would be shown here instead of the default query. A browser
  // that forbids storage throws an error on access to localStorage; then nothing is stored.
  function ownStorage() {
    try {
      window.localStorage.length;
    } catch {
      return null;
    }
    return GraphiQL.createLocalStorage({ namespace: "product-comments" });
  }
})();
