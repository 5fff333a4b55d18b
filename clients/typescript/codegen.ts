import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "../../schema.graphqls",
  documents: ["src/documents.graphql"],
  emitLegacyCommonJSImports: false,
  importExtension: ".js",
  config: {
    scalars: { ID: "string", DateTime: "string" },
    defaultScalarType: "unknown",
    useTypeImports: true,
    sort: false,
    enumsAsConst: true, // also values, to make lists of
    nonOptionalTypename: true, // optimistic answers need it
    skipTypeNameForRoot: true,
  },
  generates: {
    "src/schema.ts": { plugins: ["typescript"] },
    "src/operations.ts": {
      plugins: ["typescript-operations", "typed-document-node"],
      config: { importSchemaTypesFrom: "src/schema.ts" },
    },
  },
};
export default config;
