import { useMutation } from "@apollo/client/react";
import { graphql, useFragment } from "./gql";
import type { FragmentType } from "./gql";

const fields = graphql(`
  fragment Review on Comment {
    id
    rating
    language
    title
    text
    author
    createdAt
    helpfulCount
    viewerVote
    viewerCanVote
  }
`);

const voteHelpful = graphql(`
  mutation Vote($input: VoteHelpfulInput!) {
    voteHelpful(input: $input) {
      comment {
        id
        helpfulCount
        viewerVote
      }
    }
  }
`);

export function Review({ review }: { review: FragmentType<typeof fields> }) {
  const { id, rating, language, title, text, author, createdAt, helpfulCount, viewerVote, viewerCanVote } =
    useFragment(fields, review);
  const [vote, { error }] = useMutation(voteHelpful);
  const voted = viewerVote === "HELPFUL";
  const click = () => {
    const next = voted ? null : ("HELPFUL" as const);
    vote({
      variables: { input: { id, vote: next } },
      optimisticResponse: {
        voteHelpful: {
          __typename: "VoteHelpfulPayload",
          comment: { __typename: "Comment", id, viewerVote: next, helpfulCount: helpfulCount + (voted ? -1 : 1) },
        },
      },
    });
  };
  return (
    <article aria-label={`Review: ${rating} of 5 stars`}>
      <p>{rating} of 5, {author ?? "anonymous"}, {new Date(createdAt).toLocaleDateString("en")}</p>
      {title && <h2 lang={language} dir="auto">{title}</h2>}
      {text && <p lang={language} dir="auto">{text}</p>}
      {viewerCanVote
        ? <button aria-pressed={voted} onClick={click}>Helpful ({helpfulCount})</button>
        : <p>{helpfulCount} found this helpful</p>}
      {error && <p role="alert" className="failed">{error.message}</p>}
    </article>
  );
}
