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

// Lists with other arguments are other lists, but for their pages.
const paging = ["first", "after", "last", "before"];
for (const { name, type } of schema.getType("Product").getFields().comments.args) {
  const document = (given) => gql`
    query Other($value: ${type}) { product(id: "other") { id comments(${given}) { edges { cursor } pageInfo { endCursor } } } }`;
  const page = { __typename: "CommentConnection", edges: [], pageInfo: { __typename: "PageInfo", endCursor: "" } };
  client.cache.writeQuery({ query: document("first: 20"), data: { product: { __typename: "Product", id: "other", comments: page } } });
  const found = client.cache.readQuery({ query: document(`${name === "first" ? "" : "first: 20"} ${name}: $value`), variables: { value: "1" } });
  same(`with ${name} it is the same list`, found !== null, paging.includes(name));
}
client.stop();
