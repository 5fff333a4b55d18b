import { gql } from "@apollo/client";
import { client } from "./apollo.mjs";
import { same } from "./same.mjs";

const query = gql`
  query Reviews($language: String, $after: String) {
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
const reviews = client.watchQuery({ query, variables: {} });
const shown = () => reviews.getCurrentResult().data?.product.comments;
const listening = reviews.subscribe(() => {});
await reviews.refetch();
same("a page", shown().edges.length, 20);
for (let page = 2; page <= 3; page++) {
  await reviews.fetchMore({ variables: { after: shown().pageInfo.endCursor } });
  await new Promise((told) => setTimeout(told)); // those who watch are told a moment later
}
same("three pages", [shown().edges.length, shown().pageInfo.hasNextPage], [50, false]);
listening.unsubscribe();

const german = await client.query({ query, variables: { language: "de" } });
same("another filter", german.data.product.comments.edges.length, 20);
client.stop();
