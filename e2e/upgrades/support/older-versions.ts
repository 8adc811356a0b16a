import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Release, readReleases } from '../../../scripts/changes/releases.ts'
import { bundleOf, withMigration } from './bundles.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** A version to upgrade from. `commit` is null for the current version. */
export type OlderVersion = Release | { version: string; commit: null }

/**
 * Returns the versions to upgrade from: all releases, or the commits in ORDBOOK_TEST_UPGRADE_FROM. Before the first release, returns the
 * current version, which is upgraded to a synthetic one.
 */
export function olderVersions(): OlderVersion[] {
  const configuredCommits = process.env.ORDBOOK_TEST_UPGRADE_FROM
  if (configuredCommits) return configuredCommits.split(',').map(commitNamed)
  const releases = readReleases(ROOT)
  return releases.length > 0 ? releases : [{ version: 'this version', commit: null }]
}

/** Bundles to upgrade from and to. `own`: the bundle of the current version. */
export async function bundlesFor(
  { commit }: OlderVersion,
  own: string,
): Promise<{ older: string; newer: string }> {
  if (commit !== null) return { older: await bundleOf(commit), newer: own }
  const adds = '-- oldest code: 0001\ncreate table added (n int);'
  return { older: own, newer: withMigration(own, '9001-adds.sql', adds) }
}

const commitNamed = (name: string): Release => ({
  version: name,
  commit: execFileSync('git', ['rev-parse', '--verify', `${name}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim(),
})
