import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Release, readReleases } from '../../scripts/changes/releases.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Stands for a release until there is one: the last commit before migration 0021. */
const BEFORE_ALL_RELEASES = '3449f1006a07'

/** The versions from which a market has to be upgraded: all released ones, or the commits of ORDBOOK_TEST_UPGRADE_FROM. */
export function olderVersions(): Release[] {
  const named = process.env.ORDBOOK_TEST_UPGRADE_FROM
  if (named) return named.split(',').map(commitNamed)
  const releases = readReleases(ROOT)
  if (releases.length > 0) return releases
  console.log(`no version is released yet: ${BEFORE_ALL_RELEASES} stands for one`)
  return [commitNamed(BEFORE_ALL_RELEASES)]
}

const commitNamed = (name: string): Release => ({
  version: name,
  commit: execFileSync('git', ['rev-parse', '--verify', `${name}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim(),
})
