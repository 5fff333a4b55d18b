import { graphql } from "relay-runtime";

graphql`
  query QueueQuery {
    moderationQueue(first: 0) {
      totalCount
    }
  }
`;

graphql`
  mutation QueueMutation($input: RejectCommentInput!) {
    rejectComment(input: $input) {
      query {
        moderationQueue(first: 0) {
          totalCount
        }
      }
    }
  }
`;
