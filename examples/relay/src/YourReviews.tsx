import type { CommentState } from "product-comments/schema";
import { graphql, useFragment } from "react-relay";
import type { YourReviews_product$key } from "./__generated__/YourReviews_product.graphql";
import { Failed } from "./Section";

const states: { [state in CommentState]: string } = {
  PENDING: "waits for a moderator",
  PUBLISHED: "is published",
  REJECTED: "was rejected",
  WITHDRAWN: "was withdrawn",
};

// The viewer's own reviews with their state: only published ones are in the list.
export function YourReviews({ product, retry }: { product: YourReviews_product$key; retry: () => void }) {
  const { viewerComments } = useFragment(
    graphql`
      fragment YourReviews_product on Product {
        viewerComments(first: 10) @catch(to: RESULT) {
          nodes {
            id
            rating
            title
            text
            state
            heldBy
            rejectionCode
            stateReason
          }
        }
      }
    `,
    product,
  );
  if (!viewerComments.ok) return <Failed what="Your reviews" retry={retry} />;
  if (!viewerComments.value?.nodes.length) return null;
  return (
    <section aria-labelledby="yours" className="yours">
      <h2 id="yours">Your reviews</h2>
      <ul>
        {viewerComments.value.nodes.map(({ id, rating, title, text, state, heldBy, rejectionCode, stateReason }) => (
          <li key={id}>
            <q>{title ?? text?.slice(0, 80) ?? `${rating} of 5`}</q> {states[state as CommentState] ?? state}
            {(heldBy || rejectionCode) && ` (${heldBy ?? rejectionCode})`}
            {stateReason && `: ${stateReason}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
