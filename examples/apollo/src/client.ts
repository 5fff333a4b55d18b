import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { relayStylePagination } from "@apollo/client/utilities";

declare module "@apollo/client" {
  // What `defaultOptions` below says, for the types of answers.
  namespace ApolloClient.DeclareDefaultOptions {
    interface WatchQuery {
      errorPolicy: "all";
    }
    interface Mutate {
      errorPolicy: "all";
    }
  }
}

// Its arguments but the four of paging name a list in the cache; null is as absent.
const list = relayStylePagination((given) => {
  const names = Object.entries(given ?? {}).filter(([, value]) => value != null).map(([name]) => name);
  const others = names.filter((name) => !["first", "after", "last", "before"].includes(name));
  return others.length > 0 && others.sort();
});

async function sha256(text: string) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// A visitor's queries go by GET under their hash, so that a CDN can answer them.
export function clientOf(token: string) {
  const http = new HttpLink({
    uri: import.meta.env.VITE_API ?? "/graphql",
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
  return new ApolloClient({
    link: new PersistedQueryLink({ sha256, useGETForHashedQueries: !token }).concat(http),
    cache: new InMemoryCache({
      possibleTypes: { Node: ["Product", "Comment", "User", "Order"] },
      typePolicies: { Product: { fields: { comments: list } } },
    }),
    defaultOptions: {
      watchQuery: { errorPolicy: "all" }, // a page and its errors arrive together
      mutate: { errorPolicy: "all" },
    },
  });
}
