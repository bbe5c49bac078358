/** How tests start a real browser: Debian's chromium, or the one that CHROMIUM names. */

import type { LaunchOptions } from 'playwright-core'

export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const launchOptions = {
  executablePath,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
} satisfies LaunchOptions
