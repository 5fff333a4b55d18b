import { useQuery } from "@apollo/client/react";
import { ReviewsDocument } from "product-comments";
import { useEffect, useState } from "react";
import { Review } from "./Review";
import { Write } from "./Write";

const read = () => new URLSearchParams(location.search).getAll("rating").map(Number);

// The ratings of the filter are in the address, so that links and the back button keep them.
function useRatings() {
  const [ratings, setRatings] = useState(read);
  useEffect(() => {
    const back = () => setRatings(read());
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const choose = (next: number[]) => {
    const url = new URL(location.href);
    url.searchParams.delete("rating");
    for (const rating of next) url.searchParams.append("rating", String(rating));
    history.pushState(null, "", url);
    setRatings(next);
  };
  return [ratings, choose] as const;
}

export function Reviews({ id }: { id: string }) {
  const [ratings, choose] = useRatings();
  const variables = { id, ratings };
  const { data, previousData, error, loading, refetch, fetchMore } = useQuery(ReviewsDocument, { variables });
  const [failed, setFailed] = useState(false);
  const shown = data ?? previousData; // while another filter loads, the last list stays
  const product = shown?.product;
  const comments = product?.comments;
  const others = (rating: number) => ratings.filter((each) => each !== rating);
  const more = async () => {
    const { error } = await fetchMore({ variables: { after: comments?.pageInfo?.endCursor }, errorPolicy: "all" });
    setFailed(!!error);
  };
  return (
    <section aria-labelledby="reviews" aria-busy={loading}>
      <h1 id="reviews">Reviews of product {id}</h1>
      {product?.stats?.averageRating && (
        <p>{product.stats.averageRating.toFixed(1)} of 5, from {product.stats.totalCount} reviews</p>
      )}
      <fieldset>
        <legend>Show ratings</legend>
        {[5, 4, 3, 2, 1].map((rating) => (
          <label key={rating}>
            <input
              type="checkbox"
              checked={ratings.includes(rating)}
              onChange={() => choose(ratings.includes(rating) ? others(rating) : [...ratings, rating])}
            />{" "}
            {rating}
          </label>
        ))}
      </fieldset>
      <p role="status">{comments?.totalCount == null ? "" : `${comments.totalCount} reviews match.`}</p>
      {error && <Failed retry={() => refetch()} />}
      {shown?.viewer && product && <Write productId={product.productId} variables={variables} />}
      {!!product?.viewerComments?.nodes.length && (
        <ul aria-label="Your reviews" className="yours">
          {product.viewerComments.nodes.map(({ id, title, state }) => (
            <li key={id}>{title ?? "Without title"}: {state}</li>
          ))}
        </ul>
      )}
      {comments?.edges.map(({ node }) => <Review key={node.id} review={node} />)}
      {failed && <Failed retry={more} />}
      {comments?.pageInfo.hasNextPage && !failed && <button onClick={more}>More reviews</button>}
    </section>
  );
}

// What was loaded stays.
function Failed({ retry }: { retry: () => unknown }) {
  return (
    <div role="alert" className="failed">
      <p>Some of the reviews cannot be shown now.</p>
      <button onClick={retry}>Try again</button>
    </div>
  );
}
