import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')
const KEPT = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ordbook/bundles')

export async function buildBundle(folder: string): Promise<void> {
  await run(process.execPath, [join(ROOT, 'scripts/bundle.ts'), folder], { cwd: ROOT })
}

/** Builds a commit's bundle with its scripts and packages. Cached across runs. */
export async function bundleOf(commit: string): Promise<string> {
  const cachedBundle = join(KEPT, commit)
  if (existsSync(cachedBundle)) return cachedBundle
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-build-'))
  const cwd = join(folder, 'checkout')
  try {
    await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, cwd])
    await run('git', ['checkout', '--quiet', '--detach', commit], { cwd })
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd })
    await run(process.execPath, ['scripts/bundle.ts', join(folder, 'bundle')], { cwd })
    mkdirSync(KEPT, { recursive: true })
    const partial = `${cachedBundle}.${process.pid}`
    cpSync(join(folder, 'bundle'), partial, { recursive: true })
    renameSync(partial, cachedBundle)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return cachedBundle
}

/** Simulates a future release: the same code with another migration. */
export function withMigration(bundle: string, name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-next-'))
  cpSync(bundle, folder, { recursive: true })
  writeFileSync(join(folder, 'lib/migrations', name), text)
  return folder
}
