/** The text of a package.json with another version, of the package itself and of the packages of ours that it depends on. */
export const withVersion = (manifest: string, version: string): string =>
  manifest.replace(/^( {2}"version": "| {4}"@ordbook\/[a-z]+": ")[^"]*/gm, `$1${version}`)
