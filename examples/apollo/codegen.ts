import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "schema.graphql",
  documents: ["src/*.tsx"],
  generates: {
    "src/gql/": {
      preset: "client",
      config: {
        scalars: { DateTime: "string" },
        useTypeImports: true,
        nonOptionalTypename: true, // optimistic answers need it
        skipTypeNameForRoot: true,
      },
    },
  },
};
export default config;
