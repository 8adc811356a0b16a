import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { makeFile } from './make-file.ts'
import { JournalError, type Mark } from './mark.ts'
import { ConfigError } from './variables.ts'

/**
 * The facts that a key host must never lose, in a file that is only appended to, one a line, each on the disk before anything
 * rests on it. Its first line names it. Several processes of one host may share the file: each reads the lines of the others before
 * it decides. A line that a full disk cut off is closed by the next one and counts for nothing.
 */
export interface Journal {
  /** Reads what was appended since, by this process or another. Throws JournalError where the file is another or an older one. */
  catchUp(): void
  /** Returns once the lines are on the disk and read. Throws where they cannot be written. */
  append(lines: readonly string[]): void
  mark(): Mark
}

const TITLE = /^ordbook journal ([0-9a-f]{64})$/

/** Opens a journal; `read` gets each line, whole lines only. Throws ConfigError where there is none. */
export function openJournal(file: string, read: (line: string) => void): Journal {
  let journal = ''
  let lines = 0
  let readBytes = 0

  const catchUp = () => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (size < readBytes)
      throw new JournalError(`${file} has lost lines: put back the whole file; nothing is signed until then`)
    if (size === readBytes) return
    const added = Buffer.alloc(size - readBytes)
    const handle = openSync(file, 'r')
    try {
      const whole =
        added.subarray(0, readSync(handle, added, 0, added.length, readBytes)).lastIndexOf('\n') + 1
      if (whole === 0) return
      const text = added.toString('latin1', 0, whole - 1).split('\n')
      if (readBytes === 0) {
        journal = TITLE.exec(text.shift()!)?.[1] ?? ''
        if (!journal) throw new ConfigError(`${file} is no journal of ordbook`)
      }
      for (const line of text) read(line)
      lines += text.length
      readBytes += whole
    } finally {
      closeSync(handle)
    }
  }
  if (!existsSync(file)) throw new ConfigError(`found no ${file}`)
  catchUp()

  return {
    catchUp,
    append(added) {
      catchUp()
      if (added.length === 0) return
      const size = statSync(file).size
      write(file, `${size > readBytes ? '\n' : ''}${added.join('\n')}\n`)
      catchUp()
    },
    mark: () => ({ journal, lines }),
  }
}

/** Makes a journal where there is none; of two processes at a first start one makes it. */
export function makeJournal(file: string): void {
  makeFile(file, `ordbook journal ${randomBytes(32).toString('hex')}\n`)
}

/** One write, so that lines of two processes never mix. */
function write(file: string, text: string): void {
  const handle = openSync(file, 'a', 0o600)
  try {
    if (writeSync(handle, text) !== text.length) throw new Error(`${file}: the disk took only a part`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
