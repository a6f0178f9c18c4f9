"""ReFrame tests whose performance variables are those of Slackline's analysis of the job (ReFrame 4.6 or later).

    import reframe as rfm
    import reframe.utility.sanity as sn
    from slackline_mixin import SlacklineMixin

    @rfm.simple_test
    class AppTest(rfm.RunOnlyRegressionTest, SlacklineMixin):
        valid_systems = ["*"]
        valid_prog_environs = ["*"]
        executable = "./app"
        num_tasks = 64
        reference = {"*": {"parallel_efficiency": (0.8, -0.05, None, "1"), "run_time": (12.0, None, 0.02, "s")}}

        @sanity_function
        def ended(self):
            return sn.assert_found("converged", self.stdout)

The job is analysed before it ends; slackline.txt says what limits it, and its summary is kept for `slackline history`.
"""

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_before

SUMMARY = "slackline.summary.json"


def _value(key, scale=1.0):
    """The first value of a list of the summary, which is one line."""
    return sn.extractsingle(rf'"{key}":\s*\[([-+0-9.eE]+)', SUMMARY, 1, lambda text: float(text) * scale)


class SlacklineMixin(rfm.RegressionMixin):
    @run_before("run")
    def analyse_in_the_job(self):
        self.job.launcher.modifier = "slackline"
        self.job.launcher.modifier_options = ["record", "--quiet", "--analyse", "-o", "slackline.txt", "--"]
        self.keep_files = [*self.keep_files, "slackline.txt", SUMMARY]

    @performance_function("s")
    def run_time(self):
        return _value("run_times_ns", 1e-9)

    @performance_function("1")
    def parallel_efficiency(self):
        return _value("parallel_efficiencies")

    @performance_function("1")
    def load_balance(self):
        return _value("load_balances")

    @performance_function("1")
    def serialisation(self):
        return _value("serialisations")

    @performance_function("1")
    def transfer(self):
        return _value("transfers")

    @performance_function("1")
    def waiting(self):
        return _value("waiting_shares")
