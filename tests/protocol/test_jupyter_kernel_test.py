"""The community's protocol suite, jupyter_kernel_test, on the installed kernel."""

from __future__ import annotations

import jupyter_kernel_test as suite


class FootlightTests(suite.KernelTests):
    """Each sample switches on the suite's test of that name."""

    kernel_name = "footlight"
    language_name = "rust"
    file_extension = ".rs"

    code_hello_world = 'println!("hello, world")'
    code_stderr = 'eprintln!("oops")'
    code_generate_error = 'panic!("on purpose")'
    code_execute_result = [
        {"code": "1 + 2 + 3", "result": "6"},
        {"code": '"text".len()', "result": "4"},
        {"code": "vec![1, 2]", "result": "[1, 2]"},
    ]
    code_display_data = [{"code": "display(&tensor![1.0, 2.0]);", "mime": "text/html"}]
    code_clear_output = "clear_output(false);"

    complete_code_samples = ["1", "let x = 1;", "fn f() {}", 'println!("{}", 1)', "struct P { x: f32 }", "%%stage\nlet y = 2;\n", ""]
    incomplete_code_samples = ["fn f() {", "let x = (1,", 'println!("open', "/* open", "match x {"]
    invalid_code_samples = ["let x = );", "fn f() }"]

    code_history_pattern = "1 + 2*"
    supported_history_operations = ("tail", "range", "search")


class FootlightWelcomeTests(suite.IopubWelcomeTests):
    """JEP 65: who subscribes to iopub is greeted, so that a client knows when it misses nothing."""

    kernel_name = "footlight"
    support_iopub_welcome = True


del suite.KernelTests, suite.IopubWelcomeTests  # bases only: pytest must not collect them
