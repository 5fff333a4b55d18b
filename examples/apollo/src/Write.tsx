import { CombinedGraphQLErrors } from "@apollo/client/errors";
import { useMutation } from "@apollo/client/react";
import { CreateCommentDocument } from "product-comments";
import type { ErrorReason, ReviewsQueryVariables } from "product-comments";
import { useState } from "react";
import type { FormEvent } from "react";

const fields = ["title", "text", "author", "language"] as const;
const labels = { title: "Title", text: "Text", author: "Your name", language: "Language" };

// The service names a reason, for sentences of the shop.
const sentences: { [reason in ErrorReason]?: string } = {
  REQUIRED: "Please fill this in.",
  OUT_OF_RANGE: "Please choose from 1 to 5.",
  TOO_LONG: "This is too long.",
  NOT_A_LANGUAGE: "Please write a tag such as en or pt-BR.",
};

export function Write({ productId, variables }: { productId: string; variables: ReviewsQueryVariables }) {
  const [create, { data, error, loading }] = useMutation(CreateCommentDocument);
  const [key, setKey] = useState(() => crypto.randomUUID()); // repeating the same review is safe
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (loading) return;
    const form = event.currentTarget;
    const given = new FormData(form);
    const input = {
      productId,
      rating: Number(given.get("rating")),
      language: String(given.get("language")),
      title: String(given.get("title")),
      text: String(given.get("text")),
      author: String(given.get("author")),
      idempotencyKey: key,
    };
    const { data } = await create({ variables: { ...variables, input } });
    if (!data?.createComment) return;
    form.reset();
    setKey(crypto.randomUUID());
  };
  // A refused field is an error of its own.
  const problems = CombinedGraphQLErrors.is(error) ? error.errors : [];
  const of = (field: string) =>
    problems
      .filter(({ extensions }) => extensions?.field === field)
      .map(({ message, extensions }) => sentences[extensions?.reason as ErrorReason] ?? message)
      .join(" ");
  const placed = problems.some(({ extensions }) => ["rating", ...fields].includes(String(extensions?.field)));
  const state = data?.createComment?.comment.state;
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
          <p id="rating-problem" className="failed">{of("rating")}</p>
        </fieldset>
        {fields.map((name) => (
          <p key={name}>
            <label htmlFor={name}>{labels[name]}</label>
            <input
              id={name}
              name={name}
              defaultValue={name === "language" ? "en" : ""}
              aria-invalid={of(name) !== ""}
              aria-describedby={`${name}-problem`}
            />
            <span id={`${name}-problem`} className="failed">{of(name)}</span>
          </p>
        ))}
        <button aria-disabled={loading}>Send</button>
        <p role="alert" className="failed">{error && (placed ? "Please correct what is marked." : error.message)}</p>
      </form>
      <p role="status">
        {!error && state && (state === "PENDING" ? "Thank you. A moderator reads it first." : "Thank you.")}
      </p>
    </details>
  );
}
