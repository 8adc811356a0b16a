import type { Plugin } from 'vite'

/** The longest wait for the first paint, in milliseconds: some browsers do not report it. */
const LONGEST = 1000

/**
 * Starts the code once the view of the document is on the screen, so that code that is there at once does not hold the view back.
 * A hidden tab draws nothing and need not wait.
 */
const startOf = (code: string) =>
  `<script>addEventListener('DOMContentLoaded',()=>{const start=()=>import(${JSON.stringify(code)});if(document.hidden)return start();new PerformanceObserver(start).observe({type:'paint',buffered:true});setTimeout(start,${LONGEST})})</script>`

/** Puts what a document loads into the order in which its visitor needs it. */
export function loadOrder(): Plugin {
  return {
    name: 'load-order',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const sheet = /<link rel="stylesheet"[^>]*>/
        const script = /<script type="module"[^>]* src="([^"]+)"><\/script>/
        const [link] = sheet.exec(html) ?? []
        const [tag, code] = script.exec(html) ?? []
        if (!link || !tag || !code) throw new Error('the document has no sheet or no script')
        return html
          .replace(link, '')
          .replace(tag, `<link rel="modulepreload" fetchpriority="low" crossorigin href="${code}">`)
          .replace('</body>', `  ${link}\n    ${startOf(code)}\n  </body>`)
      },
    },
  }
}
