import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { variables } from '@ordbook/db/settings/config.ts'
import { afterAll, expect, it } from 'vitest'
import { runsOf } from '../../cli/src/operator.ts'
import { PROGRAMS } from '../../cli/src/programs.ts'

const folder = join(import.meta.dirname, '../startos')
const read = (name: string) => readFileSync(join(folder, 'startos', name), 'utf8')
const work = mkdtempSync(join(tmpdir(), 'ordbook-startos-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Calls withCookie like the package does, but with Node alone, because the SDK is not installed. */
function withCookie(address: string, command: string, place: string): [string, ...string[]] {
  const module = JSON.stringify(join(folder, 'startos/withCookie.ts'))
  const script = `import { withCookie } from ${module}
    console.log(JSON.stringify(withCookie(...process.argv.slice(1))))`
  const args = ['--no-warnings', '--input-type=module', '-e', script, address, command, place]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as [string, ...string[]]
}

/** Settings of other programs in the same sources. */
const FOREIGN = /^(POSTGRES_|ORD_(?!URL)|PGDATA)/

it.each(['main.ts', 'actions/addCollection.ts'])(
  '%s refers only to existing settings, programs and commands',
  (file) => {
    const text = read(file)
    const names = [...text.matchAll(/\b([A-Z][A-Z_]+[A-Z]): /g)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !FOREIGN.test(name) && !Object.hasOwn(variables, name))).toEqual([])
    const programs = [...text.matchAll(/\/(\w[\w-]*)\.js(?!on)/g)].map(([, name]) => name!)
    expect(programs.length).toBeGreaterThan(0)
    expect(programs.filter((name) => name !== 'ordbook' && !Object.hasOwn(PROGRAMS, name))).toEqual([])
    for (const [, verb] of text.matchAll(/ordbook\.js market (\w+) /g))
      expect(() => runsOf([verb!])).not.toThrow()
  },
)

it('the package version matches package.json', () => {
  const { version } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8')) as {
    version: string
  }
  expect(read('versions/current.ts')).toContain(`version: '${version}:0'`)
  expect(read('manifest/index.ts')).toContain(`ordbook/ordbook:${version}'`)
})

it('withCookie exits when the cookie changes', async () => {
  writeFileSync(join(work, '.cookie'), '__cookie__:first')
  const [program, ...args] = withCookie('127.0.0.1:8332', 'echo $BITCOIN_RPC_URL; exec sleep 60', work)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.once('exit', done))
  try {
    const line = await new Promise<string>((done) => child.stdout.once('data', (part) => done(String(part))))
    expect(line.trim()).toBe('http://__cookie__:first@127.0.0.1:8332')
    writeFileSync(join(work, '.cookie'), '__cookie__:second')
    await ended
  } finally {
    child.kill('SIGKILL')
  }
})

it('withCookie stops its program on SIGTERM', async () => {
  writeFileSync(join(work, '.cookie'), '__cookie__:first')
  const [program, ...args] = withCookie('127.0.0.1:8332', 'echo $$; exec sleep 60', work)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.once('exit', done))
  const pid = Number(await new Promise((done) => child.stdout.once('data', (part) => done(String(part)))))
  child.kill('SIGTERM')
  await ended
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  const [again, ...nowhere] = withCookie('127.0.0.1:8332', 'true', join(work, 'nowhere'))
  const code = await new Promise((done) => spawn(again, nowhere, { stdio: 'ignore' }).once('exit', done))
  expect(code).toBe(1)
})
