import { Environment, Network, RecordSource, Store } from "relay-runtime";
import type { FetchFunction, RecordSourceSelectorProxy } from "relay-runtime";

const address = import.meta.env.VITE_API ?? "/graphql";

export type Problem = {
  message: string;
  path?: (string | number)[];
  extensions?: { code?: string; field?: string; reason?: string };
};

// What holds a page, by its name in the answer: an alias is a name of its own.
const pages = ["comments", "moderationQueue", "node"];

// The name of what an error made null, the first null on its path.
function lost(data: any, path: (string | number)[] = []) {
  return path.find((name) => (data = data?.[name]) == null);
}

export function environmentOf(token: string): Environment {
  const execute: FetchFunction = async (request, variables) => {
    const response = await fetch(address, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/graphql-response+json",
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query: request.text, documentId: request.id, variables }),
    });
    const { data, errors = [], extensions } = await response.json();
    // Relay would put the null of a further page in the place of all pages before it.
    const further = variables.after || variables.before || variables.cursor;
    if (!data || (further && errors.some(({ path }: Problem) => pages.includes(String(lost(data, path)))))) {
      throw Object.assign(new Error(errors.map(({ message }: Problem) => message).join("\n")), { errors });
    }
    return { data, errors, extensions }; // errors of single fields leave null in their place
  };

  return new Environment({ network: Network.create(execute), store: new Store(new RecordSource()) });
}

// The updater of mutations whose payload's `query` selects a list or another object without an id:
// its fields become fields of the root, which the page shows.
export function showQuery(store: RecordSourceSelectorProxy, answer: object | null | undefined) {
  for (const mutation of Object.keys(answer ?? {})) {
    const query = store.getRootField(mutation)?.getLinkedRecord("query");
    if (query) store.getRoot().copyFieldsFrom(query);
  }
}
