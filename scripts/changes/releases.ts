import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Release {
  version: string
  /** Full id of the commit that released the version. */
  commit: string
}

/** Returns the released versions of a changelog, oldest first. */
export const releasedIn = (changelog: string): string[] =>
  [...changelog.matchAll(/^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$/gm)].map(([, version]) => version!).reverse()

/**
 * Returns the releases of a repository, oldest first: each version of its changelog at its tag (`v0.1.0`), otherwise at the commit that
 * added its heading. Throws if the clone lacks that commit.
 */
export function readReleases(repository: string): Release[] {
  const versions = releasedIn(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8'))
  return versions.map((version) => {
    const commit = taggedCommit(repository, version) ?? commitOfHeading(repository, version)
    if (commit === null)
      throw new Error(
        `This clone has no commit that releases ${version}. Commit CHANGELOG.md, or run git fetch --unshallow --tags.`,
      )
    return { version, commit }
  })
}

function taggedCommit(repository: string, version: string): string | null {
  try {
    return git(repository, 'rev-parse', '--quiet', '--verify', `refs/tags/v${version}^{commit}`)
  } catch {
    return null
  }
}

function commitOfHeading(repository: string, version: string): string | null {
  // In a shallow clone, the oldest commit seems to add every line.
  if (git(repository, 'rev-parse', '--is-shallow-repository') === 'true') return null
  const heading = `^## ${version.replaceAll('.', '\\.')}, [0-9]`
  return git(repository, 'log', '-1', '--format=%H', `-G${heading}`, '--', 'CHANGELOG.md') || null
}

const git = (repository: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
