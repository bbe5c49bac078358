/** One version names one state of the package: `X-dev` until the release of X. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../commands/command.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
const [release = '', suffix] = version.split('-')
const isReleased = suffix === undefined

test('the version is that of a release, or of the development of one', () => {
  assert.match(version, /^\d+\.\d+\.\d+(-dev)?$/)
})

test('the lock file has the version of package.json', () => {
  const { version: locked, packages } = JSON.parse(read('package-lock.json'))
  assert.deepEqual([locked, packages[''].version], [version, version])
})

test('the changelog begins with the version, in development until its release, and has each once', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  assert.equal(headings[0], isReleased ? release : `${release} (in development)`)
  const versions = headings.map((heading) => heading.replace(' (in development)', ''))
  assert.deepEqual(versions, [...new Set(versions)])
  for (const earlier of headings.slice(1)) assert.match(earlier, /^\d+\.\d+\.\d+$/)
})

test('the upgrade to the version is the newest', () => {
  const [, earlier] = [...read('CHANGELOG.md').matchAll(/^## (\d\S+)/gm)].map(([, name]) => name)
  assert.equal(/^## (From .+)$/m.exec(read('docs/upgrading.md'))?.[1], `From ${earlier} to ${release}`)
})

test('the README, the form for faults and the names of packages in guides have the version', () => {
  if (!isReleased) assert.ok(read('README.md').includes(`\nVersion ${release} is in development`))
  assert.ok(read('.github/ISSUE_TEMPLATE/bug.yml').includes(`placeholder: Restwell ${release},`))
  const guides = ['README.md', ...globSync('{docs,examples}/**/*.md', { cwd: root })].map(read).join('')
  const packages = [...guides.matchAll(/restwell-(\d\S*)\.tgz/g)].map(([, name]) => name)
  assert.deepEqual([...new Set(packages)], [version])
})
