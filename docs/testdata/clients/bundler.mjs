// What a bundler does: files of Relay's compiler import each other without the end of their name.
import { register } from "node:module";

const resolve = `export const resolve = (name, context, next) =>
  next(name.endsWith(".graphql") ? name + ".js" : name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolve)}`);
