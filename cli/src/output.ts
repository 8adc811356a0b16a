import { type Column, printable, table } from './table.ts'

/** Width of tables if stdout is not a terminal. */
const WIDTH = 80

/** Whether a stream interprets control codes (https://no-color.org). */
const hasControlCodes = (stream: NodeJS.WriteStream) =>
  stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb'

/** A line, or several. A line break in a line is printed as a replacement character. */
export type Text = string | readonly string[]

const printed = (text: Text) => [text].flat().map(printable).join('\n')

/** Characters that JSON need not escape, and that could change what a terminal shows. */
const UNESCAPED = /[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu
const escaped = (text: string) =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Prints results on stdout, everything else on stderr. */
export class Output {
  readonly isJson: boolean
  private readonly isWide: boolean

  constructor(isJson: boolean, isWide = false) {
    this.isJson = isJson
    this.isWide = isWide
  }

  /** Prints a result: the document on one line with `--json`, otherwise the text. */
  result(document: unknown, text: Text): void {
    const output = this.isJson ? JSON.stringify(document).replace(UNESCAPED, escaped) : printed(text)
    process.stdout.write(`${output}\n`)
  }

  note(text: Text): void {
    process.stderr.write(`${printed(text)}\n`)
  }

  /** Prints progress, in place on a terminal. */
  progress(text: string, isDone = false): void {
    process.stderr.write(
      hasControlCodes(process.stderr)
        ? `\r\x1b[K${printable(text)}${isDone ? '\n' : ''}`
        : `${printable(text)}\n`,
    )
  }

  /** Formats the lines of a table that fits the terminal, or 80 columns without one. `--wide` keeps full ids and names. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
    const width = process.stdout.isTTY ? process.stdout.columns || WIDTH : WIDTH
    return table(columns, rows, this.isWide ? null : width)
  }
}
