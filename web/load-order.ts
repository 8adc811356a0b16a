import type { Plugin } from 'vite'

/** The longest wait for the first paint, in milliseconds: some browsers do not report it. */
const LONGEST = 1000

/**
 * Once the view of the document is on the screen, loads what the document names with `data-rel`: the whole sheet and the code of the
 * page, which would share the connection with the pictures of the view. The code starts when the sheet is there. A hidden tab draws
 * nothing and need not wait.
 */
const startOf = (code: string) => `<script>
      addEventListener('DOMContentLoaded', () => {
        let begun = false
        const start = () => {
          if (begun) return
          begun = true
          for (const link of document.querySelectorAll('link[data-rel]')) {
            const { rel } = link.dataset
            if (rel === 'stylesheet') link.onload = link.onerror = () => import(${JSON.stringify(code)})
            link.rel = rel
          }
        }
        if (document.hidden) return start()
        new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
        setTimeout(start, ${LONGEST})
      })
    </script>`

/** Puts what a document loads into the order in which its visitor needs it. */
export function loadOrder(): Plugin {
  return {
    name: 'load-order',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const sheet = /<link rel="stylesheet"[^>]* href="([^"]+)"[^>]*>/
        const script = /<script type="module"[^>]* src="([^"]+)"><\/script>/
        const [link, style] = sheet.exec(html) ?? []
        const [tag, code] = script.exec(html) ?? []
        if (!link || !style || !tag || !code) throw new Error('the document has no sheet or no script')
        return html
          .replace(link, `<link data-rel="stylesheet" crossorigin href="${style}">`)
          .replace(tag, `<link data-rel="modulepreload" crossorigin href="${code}">`)
          .replace('</body>', `  ${startOf(code)}\n  </body>`)
      },
    },
  }
}
