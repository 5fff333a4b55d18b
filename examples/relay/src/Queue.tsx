import { RejectionCode } from "product-comments/schema";
import { useRef, useState } from "react";
import type { FormEvent } from "react";
import { graphql, useFragment, useLazyLoadQuery, useMutation, usePaginationFragment } from "react-relay";
import type { Queue_comment$key } from "./__generated__/Queue_comment.graphql";
import type { Queue_list$key } from "./__generated__/Queue_list.graphql";
import type { QueueApproveMutation } from "./__generated__/QueueApproveMutation.graphql";
import type { QueuePageQuery } from "./__generated__/QueuePageQuery.graphql";
import type { QueueQuery } from "./__generated__/QueueQuery.graphql";
import type { QueueRejectMutation } from "./__generated__/QueueRejectMutation.graphql";
import { More } from "./Reviews";
import { Failed, Section } from "./Section";
import type { Attempt } from "./Section";
import { showQuery } from "./environment";

export function Queue() {
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>Reviews that wait</h1>
      <Section what="The queue" of="queue">
        {(attempt) => <Load {...attempt} decided={() => heading.current?.focus()} />}
      </Section>
    </>
  );
}

type Decided = { decided: () => void };

function Load({ options, retry, decided }: Attempt & Decided) {
  const query = useLazyLoadQuery<QueueQuery>(graphql`query QueueQuery { ...Queue_list }`, {}, options);
  return <List query={query} retry={retry} decided={decided} />;
}

function List({ query, retry, decided }: { query: Queue_list$key; retry: () => void } & Decided) {
  const { data, hasNext, loadNext } = usePaginationFragment<QueuePageQuery, Queue_list$key>(
    graphql`
      fragment Queue_list on Query
      @refetchable(queryName: "QueuePageQuery")
      @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" }) {
        moderationQueue(first: $first, after: $after) @connection(key: "Queue_moderationQueue") {
          __id
          edges {
            node {
              id
              ...Queue_comment
            }
          }
        }
        all: moderationQueue(first: 0) {
          totalCount
        }
      }
    `,
    query,
  );
  const queue = data.moderationQueue;
  if (!queue) return <Failed what="The queue" retry={retry} reason="It is for moderators: sign in as one." />;
  return (
    <>
      <p role="status">{data.all?.totalCount == null ? "" : `${data.all.totalCount} wait.`}</p>
      {queue.edges.map(({ node }) => <Waiting key={node.id} comment={node} list={queue.__id} decided={decided} />)}
      {hasNext && <More what="More reviews" load={loadNext} />}
    </>
  );
}

function Waiting({ comment, list, decided }: { comment: Queue_comment$key; list: string } & Decided) {
  const { id, version, rating, language, title, text, author, heldBy, stateReason, product } = useFragment(
    graphql`
      fragment Queue_comment on Comment {
        id
        version
        rating
        language
        title
        text
        author
        heldBy
        stateReason
        product {
          productId
        }
      }
    `,
    comment,
  );
  // The decided review leaves the list; the payload's count is that of `all` above.
  const [approve, approving] = useMutation<QueueApproveMutation>(graphql`
    mutation QueueApproveMutation($input: ApproveCommentInput!, $lists: [ID!]!) {
      approveComment(input: $input) {
        comment {
          id @deleteEdge(connections: $lists)
          state
        }
        query {
          moderationQueue(first: 0) {
            totalCount
          }
        }
      }
    }
  `);
  const [reject, rejecting] = useMutation<QueueRejectMutation>(graphql`
    mutation QueueRejectMutation($input: RejectCommentInput!, $lists: [ID!]!) {
      rejectComment(input: $input) {
        comment {
          id @deleteEdge(connections: $lists)
          state
        }
        query {
          moderationQueue(first: 0) {
            totalCount
          }
        }
      }
    }
  `);
  const [failure, setFailure] = useState("");
  const after = {
    updater: showQuery,
    onCompleted(_: unknown, errors: readonly { message: string }[] | null) {
      setFailure(errors?.[0]?.message ?? "");
      if (!errors) decided();
    },
    onError: (error: Error) => setFailure(error.message || "The service does not answer."),
  };
  const busy = approving || rejecting;
  const chosen = { id, expectedVersion: version }; // refused if its author changed it since
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const input = { ...chosen, code: data.get("code") as RejectionCode, reason: String(data.get("reason")) };
    if (!busy) reject({ variables: { input, lists: [list] }, ...after });
  };
  return (
    <article aria-label={`Review of product ${product.productId}: ${rating} of 5 stars`}>
      <p>Product {product.productId}, {rating} of 5, by {author ?? "anonymous"}, held by {heldBy} {stateReason}</p>
      {title && <h2 lang={language} dir="auto">{title}</h2>}
      {text && <p lang={language} dir="auto">{text}</p>}
      <button
        aria-disabled={busy}
        onClick={() => busy || approve({ variables: { input: chosen, lists: [list] }, ...after })}
      >
        Publish
      </button>
      <form className="row" onSubmit={submit}>
        <label>
          Code <select name="code">{Object.values(RejectionCode).map((code) => <option key={code}>{code}</option>)}</select>
        </label>
        <label>Reason <input name="reason" required maxLength={500} /></label>
        <button aria-disabled={busy}>Reject</button>
      </form>
      {failure && <p role="alert" className="failed">{failure}</p>}
    </article>
  );
}
