import { useState } from "react";
import { graphql, useFragment, useMutation } from "react-relay";
import type { Review_comment$key } from "./__generated__/Review_comment.graphql";
import type { ReviewReportMutation } from "./__generated__/ReviewReportMutation.graphql";
import type { ReviewVoteMutation } from "./__generated__/ReviewVoteMutation.graphql";

export function Review({ comment }: { comment: Review_comment$key }) {
  const review = useFragment(
    graphql`
      fragment Review_comment on Comment {
        id
        commentId
        rating
        language
        title
        text
        author
        createdAt
        verifiedPurchase
        helpfulCount
        viewerVote
        viewerCanVote
        viewerHasReported
        reply {
          text
        }
      }
    `,
    comment,
  );
  const { id, commentId, rating, language, title, text, author, createdAt, verifiedPurchase, reply } = review;
  const { helpfulCount, viewerVote, viewerCanVote, viewerHasReported } = review;
  const [vote, voting] = useMutation<ReviewVoteMutation>(graphql`
    mutation ReviewVoteMutation($input: VoteHelpfulInput!) {
      voteHelpful(input: $input) {
        comment {
          id
          viewerVote
          helpfulCount
        }
      }
    }
  `);
  const [report, reporting] = useMutation<ReviewReportMutation>(graphql`
    mutation ReviewReportMutation($input: ReportCommentInput!) {
      reportComment(input: $input) {
        comment {
          id
          viewerHasReported
        }
      }
    }
  `);
  const [failure, setFailure] = useState("");
  const after = {
    onCompleted: (_: unknown, errors: readonly { message: string }[] | null) => setFailure(errors?.[0]?.message ?? ""),
    onError: (error: Error) => setFailure(error.message || "The service does not answer."),
  };
  const voted = viewerVote === "HELPFUL";
  const click = () => {
    const next = voted ? null : "HELPFUL";
    const comment = { id, viewerVote: next, helpfulCount: helpfulCount + (voted ? -1 : 1) } as const;
    vote({ variables: { input: { id, vote: next } }, optimisticResponse: { voteHelpful: { comment } }, ...after });
  };
  return (
    <article id={`comment-${commentId}`} tabIndex={-1} aria-label={`Review: ${rating} of 5 stars`}>
      <p>
        <span role="img" aria-label={`${rating} of 5 stars`} className="stars">
          {"★".repeat(rating)}{"☆".repeat(5 - rating)}
        </span>{" "}
        {author ?? "anonymous"}, <time dateTime={createdAt}>{new Date(createdAt).toLocaleDateString("en")}</time>
        {verifiedPurchase && ", bought it"}
      </p>
      {title && <h3 lang={language} dir="auto">{title}</h3>}
      {text && <p lang={language} dir="auto">{text}</p>}
      {reply && <blockquote><p>The shop: {reply.text}</p></blockquote>}
      <p className="row">
        {viewerCanVote
          ? <button aria-pressed={voted} onClick={click} aria-disabled={voting}>Helpful ({helpfulCount})</button>
          : <span>{helpfulCount} found this helpful</span>}
        {viewerHasReported === false && (
          <button onClick={() => report({ variables: { input: { id } }, ...after })} aria-disabled={reporting}>
            Report
          </button>
        )}
        {viewerHasReported && <span role="status">Reported. A moderator will look at it.</span>}
        <a href={`#comment-${commentId}`}>Link to this review</a>
      </p>
      {failure && <p role="alert" className="failed">{failure}</p>}
    </article>
  );
}
