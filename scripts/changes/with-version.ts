/** Replaces the version of a package.json, and of its workspace dependencies. */
export const withVersion = (manifest: string, version: string): string =>
  manifest.replace(/^( {2}"version": "| {4}"@ordbook\/[a-z]+": ")[^"]*/gm, `$1${version}`)
