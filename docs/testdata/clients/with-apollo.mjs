import { gql } from "@apollo/client";
import { client } from "./apollo.js";
import { fail } from "./fail.mjs";
import { same } from "./same.mjs";
import { schema } from "./schema.mjs";

const query = gql`
  query Reviews($language: String, $filter: CommentFilter, $orderBy: CommentOrder, $after: String) {
    product(id: "42") {
      id
      stats {
        totalCount
      }
      comments(first: 20, after: $after, language: $language, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            id
            commentId
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`;
const reviews = client.watchQuery({ query, variables: {} });
const shown = () => reviews.getCurrentResult().data?.product.comments;
const more = async () => {
  const page = await reviews.fetchMore({ variables: { after: shown().pageInfo.endCursor }, errorPolicy: "all" });
  await new Promise((told) => setTimeout(told)); // those who watch are told a moment later
  return page;
};
const codes = (answer) => answer.error?.errors.map((e) => e.extensions.code);
const listening = reviews.subscribe(() => {});
await reviews.refetch();
same("a page", shown().edges.length, 20);
await more();
same("two pages", shown().edges.length, 40);
await fail("comments", "stats");
same("a page that fails", codes(await more()), ["UNAVAILABLE", "UNAVAILABLE"]);
same("what was loaded before it", [shown().edges.length, shown().pageInfo.hasNextPage], [40, true]);
await fail("stats");
same("an error beside a page", codes(await more()), ["UNAVAILABLE"]);
same("three pages", [shown().edges.length, shown().pageInfo.hasNextPage], [50, false]);
listening.unsubscribe();

const load = async (variables) => {
  const { data } = await client.query({ query, variables });
  return [data.product.comments.edges.length, data.product.comments.edges[0].node.commentId];
};
const oldest = { orderBy: { field: "CREATED_AT", direction: "ASC" } };
same("another order", await load(oldest), [20, "c000"]);
same("a filter by an attribute", await load({ filter: { attributes: [{ key: "size", equals: ["M"] }] } }), [17, "c048"]);
same("another filter", await load({ language: "de" }), [20, "c049"]);
same("the first list, still", await load({}), [50, "c049"]);

await fail("stats");
const beside = await client.query({ query, variables: oldest, fetchPolicy: "network-only" });
same("an error beside the first page", [beside.data.product.stats, beside.data.product.comments.edges.length, codes(beside)], [null, 20, ["UNAVAILABLE"]]);

// From a page or a comment in the middle a list continues in both directions, to all comments once.
const anywhere = gql`
  query Anywhere($first: Int, $after: String, $last: Int, $before: String, $page: Int, $around: ID) {
    product(id: "42") {
      id
      comments(first: $first, after: $after, last: $last, before: $before, page: $page, around: $around) {
        offset
        pageCursors {
          around {
            page
            isCurrent
          }
        }
        edges {
          node {
            id
            commentId
          }
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
  }
`;
const all = Array.from({ length: 50 }, (_, i) => `c${String(49 - i).padStart(3, "0")}`);
for (const [start, first] of [[{ page: 2 }, 20], [{ around: "c024" }, 20], [{ page: 4 }, 10]]) {
  for (const turns of [["next", "previous"], ["previous", "next"]]) {
    const list = client.watchQuery({ query: anywhere, variables: { first, ...start }, fetchPolicy: "network-only" });
    const watching = list.subscribe(() => {});
    await list.refetch(); // from the start again, and no longer what the other turns loaded
    const now = () => list.getCurrentResult().data.product.comments;
    const ids = () => now().edges.map((e) => e.node.commentId);
    const from = first * (start.page ?? 2) - first;
    same("starts in the middle", [ids(), now().offset], [all.slice(from, from + first), from]);
    for (const turn of turns) {
      for (let i = 0; i < 5 && now().pageInfo[turn === "next" ? "hasNextPage" : "hasPreviousPage"]; i++) {
        const { startCursor: before, endCursor: after } = now().pageInfo;
        const variables = turn === "next" ? { after } : { last: first, before, first: null, after: null };
        const { error } = await list.fetchMore({ variables, errorPolicy: "all" });
        same("an error", error?.message, undefined);
        await new Promise((told) => setTimeout(told));
      }
    }
    same(`${Object.keys(start)}, then ${turns}`, ids(), all);
    same("the offset of the last answer", now().offset, turns[1] === "next" ? 40 : 0);
    watching.unsubscribe();
  }
}

// Lists with other arguments are other lists, but for their pages, and null is as absent.
const paging = ["first", "after", "last", "before"];
for (const { name, type } of schema.getType("Product").getFields().comments.args) {
  const document = (given) => gql`
    query Other($value: ${type}) { product(id: "other") { id comments${given} { edges { cursor } pageInfo { endCursor } } } }`;
  const page = { __typename: "CommentConnection", edges: [], pageInfo: { __typename: "PageInfo", endCursor: "" } };
  client.cache.writeQuery({ query: document("(first: 20)"), data: { product: { __typename: "Product", id: "other", comments: page } } });
  const found = (given, value) => client.cache.readQuery({ query: document(given), variables: { value } }) !== null;
  same(`with ${name} it is the same list`, found(`(${name}: $value)`, "1"), paging.includes(name));
  same(`with ${name}: null it is the same list`, [found(`(${name}: $value)`, null), found("")], [true, true]);
}
client.stop();
