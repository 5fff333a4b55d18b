import { gql } from "@urql/core";
import { client } from "./urql.mjs";
import { same } from "./same.mjs";

const query = gql`
  query ($language: String, $after: String) {
    product(id: "42") {
      id
      comments(first: 20, after: $after, language: $language) {
        edges {
          node {
            id
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
const ask = async (variables) => {
  const { data, error } = await client.query(query, variables).toPromise();
  same("an error", error?.message, undefined);
  return data.product.comments;
};
const first = await ask({});
same("a page", [first.edges.length, first.pageInfo.hasNextPage], [20, true]);
const both = await ask({ after: first.pageInfo.endCursor });
same("two pages", both.edges.length, 40);
same("another filter", (await ask({ language: "de" })).edges.length, 20);
