import type { Plugin } from 'vite'

/**
 * Has the browser load the font with the document: its name holds a hash, which only the build knows. The scripts wait for
 * the room that the first view leaves them.
 */
export function loadOrder(): Plugin {
  return {
    name: 'load-order',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle = {} }) => ({
        html: html.replace('<script type="module"', '<script type="module" fetchpriority="low"'),
        tags: Object.keys(bundle)
          .filter((name) => /\/geist-latin-wght-normal-[^/]*\.woff2$/.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${name}`, as: 'font', type: 'font/woff2', crossorigin: true },
            injectTo: 'head' as const,
          })),
      }),
    },
  }
}
