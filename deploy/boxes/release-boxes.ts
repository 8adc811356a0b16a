import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitWithUsage, readCommand } from '../../scripts/command.ts'
import { fillIn } from './release.ts'
import { umbrelProblems } from './umbrel.ts'

/** `npx node deploy/boxes/release-boxes.ts`: writes the node box packages of a release, after its image was published. */
const USAGE = `usage: npx node deploy/boxes/release-boxes.ts DIRECTORY --image NAME:VERSION@sha256:DIGEST --website URL --repository URL --support URL --submission URL

Write the packages for Umbrel and StartOS to DIRECTORY. The drafts in deploy/ contain placeholders for the image and the URLs. Fails if
any placeholder remains.

  --image        the published image, with the digest of its multi-architecture index (amd64 and arm64)
  --submission   the pull request in Umbrel's store`
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: {
    image: { type: 'string' },
    website: { type: 'string' },
    repository: { type: 'string' },
    support: { type: 'string' },
    submission: { type: 'string' },
  },
})
const { image, website, repository, support, submission } = values
const [directory, ...more] = positionals
if (!directory || more.length > 0) exitWithUsage(USAGE, 'expected one directory')
if (!image || !website || !repository || !support || !submission)
  exitWithUsage(USAGE, 'expected all five options')
const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const destination = resolve(directory)
try {
  const facts = { image, website, repository, support, submission }
  fillIn([join(root, 'deploy/umbrel'), join(root, 'deploy/startos')], destination, facts)
  const problems = umbrelProblems(join(destination, 'umbrel/ordbook'), version)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  console.log(`${destination}: Umbrel's app and the sources of StartOS's package for ${image}`)
} catch (error) {
  exitWithUsage(USAGE, (error as Error).message)
}
