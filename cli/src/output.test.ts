import { afterEach, expect, it, vi } from 'vitest'
import { confirm } from './ask.ts'
import { Output } from './output.ts'
import { TradeSession } from './trade-session.ts'
import { Arguments } from './verb.ts'
import { watch } from './verbs/watch.ts'

afterEach(() => void vi.restoreAllMocks())

/** Returns what was written to a stream. */
function written(stream: 'stdout' | 'stderr') {
  const write = vi.spyOn(process[stream], 'write').mockReturnValue(true)
  return () => write.mock.calls.flat().join('')
}

const NAME = 'Lamp\nsold\u2028for\u20290\r'

it('prints a line break in a value as a replacement character', () => {
  const [stdout, stderr] = [written('stdout'), written('stderr')]
  const out = new Output(false)
  out.result({}, `listed ${NAME}`)
  out.result({}, ['first', `second ${NAME}`])
  out.note(NAME)
  out.progress(NAME)
  const line = 'Lamp\ufffdsold\ufffdfor\ufffd0\ufffd\n'
  expect(stdout()).toBe(`listed ${line}first\nsecond ${line}`)
  expect(stderr()).toBe(line.repeat(2))
})

it('escapes control and format characters in JSON', () => {
  const stdout = written('stdout')
  const document = { name: 'a\u007f\u009b\u00ad\u200b\u202e\u2028\ufeff\u{e0041}é👩\u200d👧' }
  new Output(true).result(document, '')
  expect(stdout()).toBe(
    '{"name":"a\\u007f\\u009b\\u00ad\\u200b\\u202e\\u2028\\ufeff\\udb40\\udc41é👩\\u200d👧"}\n',
  )
  expect(JSON.parse(stdout())).toEqual(document)
})

it('prints one line for each event', async () => {
  const stdout = written('stdout')
  const event = { collections: ['Lamp\nsold'], state: 'a\r\nb', inscriptionId: '\u200b', priceSats: 1 }
  const response = new Response(`id: 1\nevent: sale\ndata: ${JSON.stringify(event)}\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  })
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(response)
  const desk = new TradeSession(
    () => ({ market: 'https://market.example' }) as ReturnType<ConstructorParameters<typeof TradeSession>[0]>,
    new Output(false),
    { isDryRun: false, isSure: false },
  )
  await watch.run(desk, new Arguments([], { count: '1' }))
  expect(stdout()).toBe('sale \ufffd a\ufffd\ufffdb 1 sats (0.00000001 BTC) Lamp\ufffdsold\n')
})

it('asks a question on one line', async () => {
  const stderr = written('stderr')
  const { isTTY } = process.stdin
  process.stdin.isTTY = true
  try {
    const answered = confirm([NAME], false)
    process.stdin.emit('data', Buffer.from('y\n'))
    await answered
  } finally {
    process.stdin.isTTY = isTTY
  }
  expect(stderr()).toContain('Lamp\ufffdsold\ufffdfor\ufffd0\ufffd. Continue?')
})
