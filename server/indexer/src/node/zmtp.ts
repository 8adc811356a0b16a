/** Part of a stream from a publisher: its greeting, a command, or the frames of a message. */
export type ZmtpPart =
  | { kind: 'greeting' }
  | { kind: 'command'; name: string }
  | { kind: 'message'; frames: Buffer[] }

const GREETING_BYTES = 64
/** Topic, body and sequence number. */
const MAX_FRAMES = 3
const [MORE, LONG, COMMAND] = [1, 2, 4]
const MECHANISM = Buffer.from('NULL\0')

/** Parses what a ZMQ publisher sends (ZMTP 3, without authentication). Throws for anything else, and for long frames and messages. */
export class ZmtpReader {
  private held = Buffer.alloc(0)
  private isGreeted = false
  private frames: Buffer[] = [];

  *read(chunk: Buffer): Generator<ZmtpPart> {
    this.held = Buffer.concat([this.held, chunk])
    if (!this.isGreeted) {
      if (this.held.length < GREETING_BYTES) return
      this.isGreeted = true
      assertGreeting(this.take(GREETING_BYTES))
      yield { kind: 'greeting' }
    }
    for (let frame = this.takeFrame(); frame; frame = this.takeFrame()) {
      const { flags, body } = frame
      if (flags & COMMAND) yield { kind: 'command', name: nameOf(body) }
      else {
        this.frames.push(body)
        if (flags & MORE && this.frames.length === MAX_FRAMES) throw new Error('too many frames in a message')
        if (flags & MORE) continue
        yield { kind: 'message', frames: this.frames }
        this.frames = []
      }
    }
  }

  private takeFrame(): { flags: number; body: Buffer } | null {
    const [flags, length] = this.held
    if (flags === undefined || length === undefined) return null
    // Frames of block hashes, transaction ids and the handshake have at most 255 bytes.
    if (flags & ~(MORE | COMMAND))
      throw new Error(flags & LONG ? 'a frame is too long' : 'unknown flags of a frame')
    if (this.held.length < 2 + length) return null
    return { flags, body: this.take(2 + length).subarray(2) }
  }

  private take(length: number): Buffer {
    const taken = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    return taken
  }
}

function assertGreeting(greeting: Buffer): void {
  if (greeting[0] !== 0xff || greeting[9] !== 0x7f || greeting[10]! < 3)
    throw new Error('not a ZMQ publisher')
  if (!greeting.subarray(12, 12 + MECHANISM.length).equals(MECHANISM))
    throw new Error('the publisher requires authentication')
}

function nameOf(command: Buffer): string {
  const name = command.toString('latin1', 1, 1 + (command[0] ?? 0))
  if (name === 'ERROR') throw new Error('the publisher rejected the connection')
  return name
}

/** The greeting of a client. */
export const GREETING = Buffer.alloc(GREETING_BYTES)
GREETING.set([0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0])
MECHANISM.copy(GREETING, 12)

const frameOf = (flags: number, body: Buffer) => Buffer.concat([Buffer.from([flags, body.length]), body])

/** The command with which a subscriber ends the handshake. */
export const READY = frameOf(COMMAND, Buffer.from('\x05READY\x0bSocket-Type\0\0\0\x03SUB', 'latin1'))

/** Subscribes to the messages of a topic. */
export const subscriptionTo = (topic: string) => frameOf(0, Buffer.from(`\x01${topic}`, 'latin1'))
