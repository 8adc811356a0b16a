import { queries } from '@ordbook/web-ui/api/client.ts'
import { SettingsProvider } from '@ordbook/web-ui/api/settings.tsx'
import { CartProvider } from '@ordbook/web-ui/cart/cart.tsx'
import { SessionProvider } from '@ordbook/web-ui/session/session.tsx'
import { ActProvider } from '@ordbook/web-ui/signing/act.tsx'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { pageReady } from './first-view.ts'
import { Storefront } from './router.tsx'
import './styles/style.css'

const root = document.getElementById('root')!
const page = createRoot(root)

void pageReady().then(() => {
  // Reused images of the first view would fire no load events.
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
