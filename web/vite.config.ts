import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { precompress } from './precompress.ts'
import { preloadFont } from './preload-font.ts'

export default defineConfig({
  plugins: [tailwindcss(), preloadFont(), precompress()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Libraries mark what is for browsers; here everything is.
      onLog(level, log, otherwise) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') otherwise(level, log)
      },
    },
  },
  // For work on the pages: `npm start`, then `npx vite web`.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/web', '/content', '/events', '/r/', '/status', '/keys'].map((path) => [
        path,
        'http://127.0.0.1:4000',
      ]),
    ),
  },
})
