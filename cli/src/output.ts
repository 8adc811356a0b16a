import { type Column, printable, table } from './table.ts'

/** Width of tables if stdout is not a terminal. */
const WIDTH = 80

/** Whether a stream interprets control codes (https://no-color.org). */
const hasControlCodes = (stream: NodeJS.WriteStream) =>
  stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb'

/** Prints results on stdout, everything else on stderr. */
export class Output {
  readonly isJson: boolean
  private readonly isWide: boolean

  constructor(isJson: boolean, isWide = false) {
    this.isJson = isJson
    this.isWide = isWide
  }

  /** Prints a result: the document on one line with `--json`, otherwise the text. */
  result(document: unknown, text: string): void {
    process.stdout.write(`${this.isJson ? JSON.stringify(document) : printable(text)}\n`)
  }

  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`)
  }

  /** Prints progress, in place on a terminal. */
  progress(text: string, isDone = false): void {
    process.stderr.write(
      hasControlCodes(process.stderr)
        ? `\r\x1b[K${printable(text)}${isDone ? '\n' : ''}`
        : `${printable(text)}\n`,
    )
  }

  /** Formats a table that fits the terminal, or 80 columns without one. `--wide` keeps full ids and names. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
    const width = process.stdout.isTTY ? process.stdout.columns || WIDTH : WIDTH
    return table(columns, rows, this.isWide ? null : width)
  }
}
