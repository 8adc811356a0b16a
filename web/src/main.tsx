import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { ActProvider } from './act.tsx'
import { CartProvider } from './cart.tsx'
import { queries } from './client.ts'
import { pageReady } from './first-view.ts'
import { Storefront } from './router.tsx'
import { SessionProvider } from './session.tsx'
import { SettingsProvider } from './settings.tsx'
import './style.css'

const root = document.getElementById('root')!
const page = createRoot(root)

void pageReady().then(() => {
  // Nothing of the view becomes part of the page: a picture that has loaded tells the page nothing more.
  root.replaceChildren()
  page.render(
    <QueryClientProvider client={queries}>
      <SettingsProvider>
        <SessionProvider>
          <CartProvider>
            <ActProvider>
              <Storefront />
            </ActProvider>
          </CartProvider>
        </SessionProvider>
      </SettingsProvider>
    </QueryClientProvider>,
  )
})
