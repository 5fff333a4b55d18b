import { useId, useState } from "react";
import type { FormEvent, ReactNode } from "react";
import { graphql, useMutation } from "react-relay";
import { ConnectionHandler } from "relay-runtime";
import type { RecordProxy, RecordSourceProxy } from "relay-runtime";
import type { WriteMutation } from "./__generated__/WriteMutation.graphql";
import type { Problem } from "./environment";

// Where the list that is shown starts with the newest review, the new one is put there at once.
function prepend(store: RecordSourceProxy, list: string | null, comment: RecordProxy | null | undefined) {
  const connection = list && store.get(list);
  if (!connection || !comment) return;
  const edge = ConnectionHandler.createEdge(store, connection, comment, "CommentEdge");
  ConnectionHandler.insertEdgeBefore(connection, edge);
  const total = connection.getValue("totalCount");
  if (typeof total === "number") connection.setValue(total + 1, "totalCount");
}

type WriteProps = { productId: string; list: string | null };

export function Write({ productId, list }: WriteProps) {
  const [create, busy] = useMutation<WriteMutation>(graphql`
    mutation WriteMutation($input: CreateCommentInput!, $product: ID!) {
      createComment(input: $input) {
        comment {
          state
        }
        commentEdge {
          node {
            ...Review_comment
          }
        }
        query {
          product(id: $product) {
            ...ProductPage_stats
            ...YourReviews_product
          }
        }
      }
    }
  `);
  const [key, setKey] = useState(() => crypto.randomUUID()); // repeating the same review is safe
  const [thanks, setThanks] = useState("");
  const [problems, setProblems] = useState<Problem[]>([]);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const texts = {
      language: String(data.get("language")),
      title: String(data.get("title")),
      text: String(data.get("text")),
      author: String(data.get("author")),
    };
    const input = { productId, rating: Number(data.get("rating")), ...texts, idempotencyKey: key };
    setThanks("");
    setProblems([]);
    create({
      variables: { input, product: productId },
      optimisticUpdater(store) {
        const comment = store.create(`client:${key}`, "Comment");
        const shown = {
          ...texts,
          id: key, commentId: key, rating: input.rating, createdAt: new Date().toISOString(), verifiedPurchase: null,
          helpfulCount: 0, viewerVote: null, viewerCanVote: false, viewerHasReported: null, reply: null,
        };
        for (const [name, value] of Object.entries(shown)) comment.setValue(value, name);
        prepend(store, list, comment);
      },
      updater(store) {
        const published = store.getRootField("createComment")?.getLinkedRecord("commentEdge");
        prepend(store, list, published?.getLinkedRecord("node"));
      },
      onCompleted({ createComment }, errors) {
        if (errors) setProblems(errors as Problem[]);
        if (!createComment) return;
        form.reset();
        setKey(crypto.randomUUID());
        setThanks(createComment.comment.state === "PENDING" ? "Thank you. A moderator reads it first." : "Thank you.");
      },
      onError: (error) => setProblems([{ message: error.message || "The service does not answer. Send it again." }]),
    });
  };

  const of = (field: string) => problems.filter(({ extensions }) => extensions?.field === field);
  const others = problems.filter(({ extensions }) => !fields.includes(extensions?.field ?? ""));
  return (
    <details>
      <summary>Write a review</summary>
      <form onSubmit={submit} noValidate>
        <fieldset aria-describedby="rating-problem">
          <legend>Rating</legend>
          {[1, 2, 3, 4, 5].map((rating) => (
            <label key={rating}>
              <input type="radio" name="rating" value={rating} /> {rating}
            </label>
          ))}
          <p id="rating-problem" className="problem">{said(of("rating"))}</p>
        </fieldset>
        <Field label="Title" problems={of("title")}>{(more) => <input name="title" {...more} />}</Field>
        <Field label="Text" problems={of("text")}>{(more) => <textarea name="text" rows={4} {...more} />}</Field>
        <Field label="Your name" problems={of("author")}>
          {(more) => <input name="author" autoComplete="name" {...more} />}
        </Field>
        <Field label="Language" problems={of("language")}>
          {(more) => <input name="language" defaultValue="en" size={5} {...more} />}
        </Field>
        <button aria-disabled={busy}>Send</button>
        <div role="alert" className="problem">
          {others.map(({ message }) => <p key={message}>{message}</p>)}
          {others.length < problems.length && <p>Please correct what is marked.</p>}
        </div>
      </form>
      <p role="status">{thanks}</p>
    </details>
  );
}

const fields = ["rating", "title", "text", "author", "language"];

// The service names a reason, for sentences of the shop.
const sentences: Record<string, string> = {
  REQUIRED: "Please fill this in.",
  OUT_OF_RANGE: "Please choose from 1 to 5.",
  TOO_LONG: "This is too long.",
  NOT_A_LANGUAGE: "Please write a tag such as en or pt-BR.",
};
const said = (problems: Problem[]) =>
  problems.map(({ message, extensions }) => sentences[extensions?.reason ?? ""] ?? message).join(" ");

type More = { id: string; "aria-invalid": boolean; "aria-describedby": string };
type FieldProps = { label: string; problems: Problem[]; children: (more: More) => ReactNode };

// A field with what is wrong with it.
function Field({ label, problems, children }: FieldProps) {
  const id = useId();
  return (
    <p>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-invalid": problems.length > 0, "aria-describedby": `${id}-problem` })}
      <span id={`${id}-problem`} className="problem">{said(problems)}</span>
    </p>
  );
}
