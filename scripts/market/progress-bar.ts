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
