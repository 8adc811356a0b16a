import type { Plugin } from 'vite'

/** Maximum wait for the first paint, in milliseconds. */
const MAX_WAIT_MS = 1000

/** Loads links with `data-rel` after the first paint, so that they do not delay its images. A hidden tab loads them immediately. */
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
        setTimeout(start, ${MAX_WAIT_MS})
      })
    </script>`

/** Defers stylesheet and code until the first view is painted. */
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
        if (!link || !style || !tag || !code) throw new Error('the document lacks a stylesheet or a script')
        return html
          .replace(link, `<link data-rel="stylesheet" crossorigin href="${style}">`)
          .replace(tag, `<link data-rel="modulepreload" crossorigin href="${code}">`)
          .replace('</body>', `  ${startOf(code)}\n  </body>`)
      },
    },
  }
}
