/** How tests start a real browser: Debian's chromium, or the one that CHROMIUM names. */

import type { LaunchOptions } from 'playwright-core'

export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Chromium takes the last list that it is given, so this one repeats what Playwright turns off. */
const disabledFeatures = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  // For each window they render pages of the address bar, which takes more time than the pages of most tests.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
]

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
    `--disable-features=${disabledFeatures.join()}`,
  ],
} satisfies LaunchOptions
