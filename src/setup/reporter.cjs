/** Mocha reporter: a dot a test, each failure in full, the ten slowest, and one plain closing line. */
const Mocha = require('mocha');

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

class Closing extends Mocha.reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const slow = [];
    const print = (text) => process.stdout.write(text);
    runner.on(EVENT_TEST_PASS, (test) => {
      slow.push([test.duration ?? 0, test.fullTitle()]);
      print('.');
    });
    runner.on(EVENT_TEST_FAIL, () => print('!'));
    runner.on(EVENT_TEST_PENDING, () => print(','));
    runner.once(EVENT_RUN_END, () => {
      print('\n');
      this.epilogue();
      slow.sort((a, b) => b[0] - a[0]);
      for (const [ms, title] of slow.slice(0, 10))
        print(`${String(Math.round(ms)).padStart(7)} ms  ${title}\n`);
      const { passes, failures, pending } = this.stats;
      print(`\n${passes} passed, ${failures} failed, ${pending} skipped\n`);
    });
  }
}

module.exports = Closing;
