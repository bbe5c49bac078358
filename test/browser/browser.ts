/** A real browser, and the people who use it. */

import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { adminLogin, adminPassword } from '../service.ts'
import { findSharedServer } from '../shared-servers.ts'
import { executablePath, launchOptions } from './launch-options.ts'

/** Returns why the tests cannot run in a browser; undefined when one is installed. */
export function whyNoBrowser(): string | undefined {
  if (existsSync(executablePath)) return undefined
  return `No browser at ${executablePath}: apt-get install chromium, or set CHROMIUM to its path.`
}

let browser: Browser | undefined

/** One browser for a file of tests; closed after them. */
export async function openBrowser(): Promise<Browser> {
  browser ??= await connectBrowser()
  return browser
}

async function connectBrowser(): Promise<Browser> {
  const endpoint = await findSharedServer('browser')
  return endpoint === undefined ? chromium.launch(launchOptions) : chromium.connect(endpoint)
}

after(() => browser?.close())

export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, and violations of the Content-Security-Policy. */
  readonly complaints: string[]
}

export interface VisitorOptions {
  readonly script?: boolean
  readonly phone?: boolean
  readonly scheme?: 'light' | 'dark'
  readonly timeZone?: string
  /** The language of the browser, such as `de-DE`. */
  readonly locale?: string
}

/** A person with a separate browser context: cookies are not shared. */
export async function visitor(url: string, options: VisitorOptions = {}): Promise<Visitor> {
  const { script = true, phone = false, scheme = 'light' } = options
  const context = await (await openBrowser()).newContext({
    baseURL: url,
    javaScriptEnabled: script,
    colorScheme: scheme,
    ...(options.timeZone === undefined ? {} : { timezoneId: options.timeZone }),
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    viewport: phone ? { width: 390, height: 844 } : { width: 1200, height: 900 },
    isMobile: phone,
    hasTouch: phone,
  })
  // A machine that is busy with other tests is slow.
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    // The browser logs every status above 399 like this, even if expected.
    if (message.type() === 'error' && !/the server responded with a status of/.test(text)) {
      complaints.push(text)
    }
  })
  page.on('dialog', (dialog) => {
    // A changed form asks before it is left.
    if (dialog.type() === 'beforeunload') return dialog.accept()
    complaints.push(`dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  return { context, page, complaints }
}

/** Signs in as the first account, which is an admin. */
export async function signInAsAdmin(page: Page): Promise<void> {
  await page.goto('/sign-in')
  await page.locator('#login').fill(adminLogin)
  await page.locator('#password').fill(adminPassword)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await accountButton(page).waitFor()
}

/** The button that opens the account menu; only signed-in people have it. */
export function accountButton(page: Page): Locator {
  return page.locator('.account > button')
}
