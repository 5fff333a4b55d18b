import { useMutation } from "@apollo/client/react";
import { VoteHelpfulDocument } from "product-comments";
import type { ReviewFragment } from "product-comments";

export function Review({ review }: { review: ReviewFragment }) {
  const { id, rating, language, title, text, author, createdAt, helpfulCount, viewerVote, viewerCanVote } = review;
  const [vote, { error }] = useMutation(VoteHelpfulDocument);
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
