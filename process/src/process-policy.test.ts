import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Runs a program under the policy, sends `signals` once it is ready, and returns its exit code and log. */
async function run(program: string, ...signals: NodeJS.Signals[]) {
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { pino } from 'pino'
     import { closeOnSignal, endOnUnexpected } from ${JSON.stringify(join(import.meta.dirname, 'process-policy.ts'))}
     const log = pino(pino.destination({ dest: 2, sync: true }))
     endOnUnexpected(log)
     setInterval(() => {}, 1000)
     ${program}
     console.log('ready')`,
  ])
  const closed = once(child, 'close')
  let logged = ''
  child.stderr.on('data', (chunk) => (logged += chunk))
  if (signals.length > 0) await once(child.stdout, 'data')
  for (const signal of signals) {
    child.kill(signal)
    await new Promise((done) => setTimeout(done, 50))
  }
  const [code] = await closed
  return {
    code,
    lines: logged
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

it.each([
  ['an exception', `setTimeout(() => { throw new Error('boom') }, 10)`],
  ['a rejection', `Promise.reject(new Error('boom'))`],
])('logs %s and exits with 1', async (_, program) => {
  const { code, lines } = await run(program)
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.objectContaining({ level: 60, err: expect.objectContaining({ message: 'boom' }) }),
  ])
})

it('closes and exits with 0 on a signal', async () => {
  expect(await run(`closeOnSignal(log, async () => {})`, 'SIGTERM')).toEqual({ code: 0, lines: [] })
})

it('exits with 1 if closing fails', async () => {
  expect((await run(`closeOnSignal(log, async () => { throw new Error('no') })`, 'SIGTERM')).code).toBe(1)
  const hung = await run(`closeOnSignal(log, () => new Promise(() => {}), 100)`, 'SIGINT')
  expect(hung).toMatchObject({ code: 1, lines: [{ msg: expect.stringContaining('shutdown timed out') }] })
  expect((await run(`closeOnSignal(log, () => new Promise(() => {}))`, 'SIGINT', 'SIGINT')).code).toBe(1)
})
