import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Release, readReleases } from '../../../scripts/changes/releases.ts'
import { bundleOf, withMigration } from './bundles.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** A version from which a market is upgraded. Its commit is null if it is this version. */
export type OlderVersion = Release | { version: string; commit: null }

/**
 * The versions from which a market has to be upgraded: all released ones, or the commits of ORDBOOK_TEST_UPGRADE_FROM. Before the first
 * release it is this version, which is upgraded to a made-up next one.
 */
export function olderVersions(): OlderVersion[] {
  const named = process.env.ORDBOOK_TEST_UPGRADE_FROM
  if (named) return named.split(',').map(commitNamed)
  const releases = readReleases(ROOT)
  return releases.length > 0 ? releases : [{ version: 'this version', commit: null }]
}

/** The bundle of an older version, and that of the version that it is upgraded to, given the bundle of this one. */
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
