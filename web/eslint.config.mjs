// The schema's rules for names, descriptions and Relay: run from the root as
//
//   web/node_modules/.bin/eslint --config web/eslint.config.mjs schema.graphqls
import graphql from "@graphql-eslint/eslint-plugin";

const naming = structuredClone(graphql.configs["flat/schema-recommended"].rules["@graphql-eslint/naming-convention"]);
// The reasons of refused requests are in small letters, as they are in metrics.
delete naming[1].EnumValueDefinition;
naming[1]["EnumValueDefinition[parent.name.value!=ErrorReason]"] = "UPPER_CASE";

const rules = {
  ...graphql.configs["flat/schema-recommended"].rules,
  ...graphql.configs["flat/schema-relay"].rules,
  "@graphql-eslint/require-field-of-type-query-in-mutation-result": "error",
  "@graphql-eslint/no-scalar-result-type-on-mutation": "error",
  "@graphql-eslint/require-nullable-result-in-root": "error",
  "@graphql-eslint/require-description": ["error", {
    types: true, rootField: true, DirectiveDefinition: true, EnumValueDefinition: true, FieldDefinition: true,
    InputValueDefinition: true,
  }],
  // Off, because of the reasons given:
  "@graphql-eslint/strict-id-in-types": "off", // only objects of `node` have an id: others are parts of them
  "@graphql-eslint/description-style": "off", // one line is "so", several lines are a block
  "@graphql-eslint/no-typename-prefix": "off", // `productId` is the shop's own id, `id` the global one
  "@graphql-eslint/naming-convention": naming,
  "@graphql-eslint/no-unreachable-types": "off", // ErrorCode and ErrorReason are of errors, which the schema cannot say
  // Lists that need no cursors are plain lists, also `nodes` of a connection. A failed delivery is a
  // part of its endpoint, which Relay's specification allows in a list.
  "@graphql-eslint/relay-edge-types": ["error", { listTypeCanWrapOnlyEdgeType: false, shouldImplementNode: false }],
};

export default [
  {
    files: ["**/*.graphqls"],
    plugins: { "@graphql-eslint": graphql },
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: "schema.graphqls" } } },
    rules,
  },
];
