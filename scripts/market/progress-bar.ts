import type { ReadProgress } from '@ordbook/indexer/adoption/rare-sats.ts'

/** Returns a function that draws a progress bar on stderr, at most twice a second and at the end. Without a terminal it prints lines. */
export function progressBar(unit: string): (done: number, total: number, more?: string) => void {
  const { isTTY } = process.stderr
  let shown = 0
  return (done, total, more = '') => {
    if (Date.now() - shown < (isTTY ? 500 : 5000) && done < total) return
    shown = Date.now()
    const share = total === 0 ? 1 : done / total
    const bar = '#'.repeat(Math.round(share * 30)).padEnd(30, '.')
    const line = `[${bar}] ${Math.floor(share * 100)} % of ${total} ${unit}${more}`
    process.stderr.write(isTTY ? `\r${line}${done < total ? '' : '\n'}` : `${line}\n`)
  }
}

/** Draws the progress of reading blocks in transactions, because early blocks are small. */
export function transactionBar(): (progress: ReadProgress) => void {
  const bar = progressBar('transactions')
  return ({ height, done, total, transactionsPerSecond, secondsLeft }) => {
    if (total === null) return
    const speed = transactionsPerSecond === null ? '' : `, ${transactionsPerSecond} a second`
    bar(done, total, `${speed}${timeOf(secondsLeft)}, block ${height}`)
  }
}

function timeOf(secondsLeft: number | null): string {
  if (secondsLeft === null) return ''
  const minutes = Math.ceil(secondsLeft / 60)
  return minutes < 120 ? `, ${minutes} min left` : `, ${Math.round(minutes / 60)} h left`
}
