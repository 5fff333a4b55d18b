import { graphql, useFragment, useLazyLoadQuery } from "react-relay";
import type { ProductPageQuery } from "./__generated__/ProductPageQuery.graphql";
import type { ProductPage_stats$key } from "./__generated__/ProductPage_stats.graphql";
import { Link, useUrl, variablesOf } from "./location";
import { Reviews } from "./Reviews";
import { Failed, Section } from "./Section";
import type { Attempt } from "./Section";
import { YourReviews } from "./YourReviews";

export function ProductPage() {
  const { id } = variablesOf(useUrl().url);
  return (
    <>
      <h1>Reviews of product {id}</h1>
      <Section what="Ratings" of={id}>{(attempt) => <Summary id={id} {...attempt} />}</Section>
      <Reviews />
    </>
  );
}

// What is the same for all filters: the ratings, and the viewer's own reviews.
function Summary({ id, options, retry }: { id: string } & Attempt) {
  const { product } = useLazyLoadQuery<ProductPageQuery>(
    graphql`
      query ProductPageQuery($id: ID!) {
        product(id: $id) {
          ...ProductPage_stats
          ...YourReviews_product
        }
      }
    `,
    { id },
    options,
  );
  if (!product) return <Failed what="Ratings" retry={retry} />;
  return (
    <>
      <Histogram product={product} retry={retry} />
      <YourReviews product={product} retry={retry} />
    </>
  );
}

// Each row switches a rating of the filter on or off.
function Histogram({ product, retry }: { product: ProductPage_stats$key; retry: () => void }) {
  const { stats } = useFragment(
    graphql`
      fragment ProductPage_stats on Product {
        stats @catch(to: RESULT) {
          totalCount
          averageRating
          ratingCounts {
            rating
            count
          }
        }
      }
    `,
    product,
  );
  const { ratings } = variablesOf(useUrl().url);
  if (!stats.ok || !stats.value) return <Failed what="Ratings" retry={retry} />;
  const { totalCount, averageRating, ratingCounts } = stats.value;
  const toggled = (rating: number) =>
    (ratings.includes(rating) ? ratings.filter((each) => each !== rating) : [...ratings, rating]).map(String);
  return (
    <section aria-labelledby="ratings">
      <h2 id="ratings">Ratings</h2>
      <p>{averageRating ? `${averageRating.toFixed(1)} of 5, from ${totalCount} reviews` : "No reviews yet"}</p>
      <ul className="histogram">
        {ratingCounts.toReversed().map(({ rating, count }) => (
          <li key={rating}>
            <Link change={{ rating: toggled(rating) }} current={ratings.includes(rating)}>
              {rating} {rating === 1 ? "star" : "stars"}: {count}
            </Link>
            <meter min={0} max={totalCount || 1} value={count} aria-hidden="true" />
          </li>
        ))}
      </ul>
    </section>
  );
}
