import { __internal, Environment, Network, RecordSource, ROOT_ID, ROOT_TYPE, Store } from "relay-runtime";
import type { EnvironmentConfig, FetchFunction } from "relay-runtime";

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

  return new Environment({
    network: Network.create(execute),
    store: new Store(new RecordSource()),
    // A payload's `query` is the root: what it holds reaches the page.
    getDataID: (object, type) => (type === "Query" ? ROOT_ID : object.id) as string,
    normalizeResponse(...given: unknown[]) {
      const payload = (__internal as any).normalizeResponse(...given);
      const root = payload.source.get(ROOT_ID);
      if (root) root.__typename = ROOT_TYPE;
      return payload;
    },
  } as EnvironmentConfig); // whose types lack normalizeResponse
}
